// SPDX-License-Identifier: MIT
// step_titles.js - what a node of a graph does, in words for who waits; a node that is not known has its name.
import { nodeTitle } from './format.js';
import { t } from './words.js';

const TITLES = {
  load_checkpoint: t('Reading the conversation'), classify: t('Reading the question'),
  table_selector: t('Looking for the tables'), filter_relationships: t('Looking for the joins'), path_finder: t('Looking for the joins'),
  join_planner: t('Looking at some rows'), sql_generator: t('Writing the statement'), secure_rewriter: t('Checking the statement'),
  pre_validation: t('Checking the statement'), validator: t('Checking the statement'), validation_agent: t('Checking the statement'),
  correction_agent: t('Correcting the statement'), executor: t('Asking the database'), execution_tool: t('Asking the database'),
  retrieve: t('Searching the documents'), retrieval: t('Looking for similar questions'), agent: t('Thinking'), tools: t('Using its tools'),
  result: t('Writing the answer'), answer: t('Writing the answer'), responder: t('Writing the answer'), insight_agent: t('Writing the answer'),
  general_agent: t('Writing the answer'), finalize: t('Finishing'), save_checkpoint: t('Keeping the conversation'),
};

export const stepTitle = path => TITLES[path.slice(path.lastIndexOf('/') + 1)] ?? nodeTitle(path);
