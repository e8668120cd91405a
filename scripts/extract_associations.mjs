#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// extract_associations.mjs - what Sequelize models say about each other, as a join-graph file.
//
//   node scripts/extract_associations.mjs MODELS [--out FILE]
//
// MODELS is a folder of model factories, (sequelize, DataTypes) => model, or a file that exports a
// Sequelize instance, or an object with one, or with models. No database is connected to, and its
// driver need not be installed. `sequelize` is the models' own. Merge the result with what
// `askd joins introspect` found: `askd joins merge --graph A --graph B`.
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const DRIVERS = ['mysql2', 'mariadb', 'pg', 'pg-hstore', 'sqlite3', 'tedious', 'oracledb', 'snowflake-sdk'];
const DECLARED = 0.95, THROUGH = 0.9, UNCONSTRAINED = 0.8;

function usage(problem) {
    process.stderr.write(`extract_associations: ${problem}\n`
        + 'usage: node extract_associations.mjs MODELS [--out FILE]\n');
    process.exit(2);
}

// A driver that is not installed is an empty one: it is only asked for, never used.
function spareDrivers() {
    const load = Module._load;
    Module._load = function (request, ...rest) {
        try {
            return load.call(this, request, ...rest);
        } catch (error) {
            if (error.code === 'MODULE_NOT_FOUND' && DRIVERS.includes(request))
                return {};
            throw error;
        }
    };
}

const isInstance = (value) => typeof value?.define === 'function' && typeof value.models === 'object';
const isModel = (value) => typeof value === 'function' && typeof value.getTableName === 'function';

async function load(file) {
    const required = createRequire(file);
    try {
        return required(file);
    } catch (error) {
        if (error.code !== 'ERR_REQUIRE_ESM')
            throw error;
        return import(pathToFileURL(file).href);
    }
}

const exported = (value) => (value?.default !== undefined && value.__esModule !== false
    && !isInstance(value) && !isModel(value) ? value.default : value);

async function modelsOfFolder(folder) {
    const { Sequelize, DataTypes } = createRequire(path.join(folder, 'models.js'))('sequelize');
    const sequelize = new Sequelize('models', '', '', { dialect: 'mysql', dialectModule: {}, logging: false });
    const files = readdirSync(folder, { recursive: true }).map(String)
        .filter((name) => /\.(c|m)?js$/.test(name) && !/\.(test|spec)\.\w+$/.test(name)
            && !name.split(path.sep).includes('node_modules') && !/^index\.\w+$/.test(path.basename(name)));
    for (const name of files.sort()) {
        const factory = exported(await load(path.join(folder, name)));
        if (typeof factory !== 'function' || isModel(factory))
            throw new Error(`${name}: expected a function of (sequelize, DataTypes)`);
        factory(sequelize, DataTypes);
    }
    return sequelize.models;
}

async function modelsOfFile(file) {
    const loaded = await load(file);
    const holders = [loaded, loaded.default, loaded.sequelize, loaded.default?.sequelize];
    const instance = holders.find(isInstance);
    if (instance !== undefined)
        return instance.models;
    const models = Object.entries(exported(loaded) ?? {}).filter(([, value]) => isModel(value));
    if (models.length === 0)
        throw new Error(`${file}: exports neither a Sequelize instance nor models`);
    return Object.fromEntries(models);
}

// Models say who they belong to in associate(); an index file has called it already.
function associate(models) {
    const done = Object.values(models).some((model) => Object.keys(model.associations).length > 0);
    for (const model of done ? [] : Object.values(models))
        model.associate?.(models);
}

function tableOf(model) {
    const name = model.getTableName();
    return typeof name === 'string' ? name : name.schema ? `${name.schema}.${name.tableName}` : name.tableName;
}

const confidenceOf = (association) =>
    (association.options.constraints === false || association.scope ? UNCONSTRAINED : DECLARED);

function relationshipOf(model, association) {
    const source = tableOf(model), target = tableOf(association.target);
    const says = { as: association.as, kind: association.associationType };
    const own = association.sourceKeyField ?? model.primaryKeyField;
    switch (association.associationType) {
    case 'BelongsTo':
        return { from_table: source, from_column: association.identifierField, to_table: target,
            to_column: association.targetKeyField ?? association.target.primaryKeyField,
            type: 'association', confidence: confidenceOf(association), cardinality: 'N:1', ...says };
    case 'HasOne':
    case 'HasMany':
        return { from_table: source, from_column: own, to_table: target, to_column: association.identifierField,
            type: 'association', confidence: confidenceOf(association),
            cardinality: association.associationType === 'HasOne' ? '1:1' : '1:N', ...says };
    case 'BelongsToMany':
        return { from_table: source, from_column: own, to_table: target,
            to_column: association.targetKeyField ?? association.target.primaryKeyField,
            type: 'many_to_many', confidence: THROUGH, cardinality: 'N:M',
            through: tableOf(association.through.model),
            through_columns: [association.identifierField, association.foreignIdentifierField], ...says };
    default:
        return null;
    }
}

function relationshipsOf(models) {
    const found = Object.values(models).flatMap((model) => Object.values(model.associations)
        .map((association) => relationshipOf(model, association)).filter((one) => one !== null));
    // hasOne says that its belongsTo is 1:1; so does a unique foreign key.
    const key = (one, other) => JSON.stringify([one, other]);
    const ones = new Set(found.filter((edge) => edge.kind === 'HasOne')
        .map((edge) => key([edge.to_table, edge.to_column], [edge.from_table, edge.from_column])));
    for (const edge of found) {
        if (edge.kind === 'BelongsTo' && ones.has(key([edge.from_table, edge.from_column],
            [edge.to_table, edge.to_column])))
            edge.cardinality = '1:1';
    }
    const order = (edge) => [edge.from_table, edge.from_column, edge.to_table, edge.to_column, edge.as].join('\n');
    return found.sort((a, b) => (order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : 0));
}

function textOf(models) {
    const relationships = relationshipsOf(models);
    const lines = relationships.map((edge) => JSON.stringify(edge)).join(',\n');
    const counts = { models: Object.keys(models).length, relationships: relationships.length };
    return `{"version":1,"counts":${JSON.stringify(counts)},"relationships":[\n${lines}\n]}\n`;
}

async function main(args) {
    const at = args.indexOf('--out');
    const out = at < 0 ? null : args.splice(at, 2)[1];
    if (args.length !== 1 || args[0].startsWith('-') || out === undefined)
        usage('give one folder or file of models');
    const place = path.resolve(args[0]);
    spareDrivers();
    const models = await (statSync(place).isDirectory() ? modelsOfFolder(place) : modelsOfFile(place));
    associate(models);
    const text = textOf(models);
    if (out === null)
        process.stdout.write(text);
    else
        writeFileSync(out, text);
}

main(process.argv.slice(2)).catch((error) => {
    process.stderr.write(`extract_associations: ${error.message}\n`);
    process.exit(1);
});
