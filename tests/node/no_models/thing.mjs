// SPDX-License-Identifier: MIT
// tests/node/no_models/thing.mjs - no Sequelize model, for what is said about such files.
export const name = 1;
