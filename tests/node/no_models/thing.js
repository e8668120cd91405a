// SPDX-License-Identifier: MIT
// tests/node/no_models/thing.js - no Sequelize model, for what is said about such files.
module.exports = { name: 1 };
