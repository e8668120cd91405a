// SPDX-License-Identifier: MIT
module.exports = (sequelize, DataTypes) => {
  const Account = sequelize.define('Account', { code: { type: DataTypes.STRING, primaryKey: true } },
    { freezeTableName: true });
  Account.associate = models => Account.belongsTo(models.Customer, { foreignKey: 'customerId' });
  return Account;
};
