// SPDX-License-Identifier: MIT
// As applications have it: an instance of its own, for a driver that is not installed here.
const { Sequelize, DataTypes } = require('sequelize');

const sequelize = new Sequelize('postgres://nobody@127.0.0.1:1/none', { logging: false });
const models = Object.fromEntries(['account', 'customer', 'tag', 'work_order']
  .map(name => require(`./${name}.cjs`)(sequelize, DataTypes)).map(model => [model.name, model]));
for (const model of Object.values(sequelize.models))
  model.associate?.(sequelize.models);
module.exports = { ...models, sequelize };
