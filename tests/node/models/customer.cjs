// SPDX-License-Identifier: MIT
module.exports = (sequelize, DataTypes) => {
  const Customer = sequelize.define('Customer', { name: DataTypes.STRING }, { tableName: 'customer' });
  Customer.associate = models => {
    Customer.hasMany(models.WorkOrder, { foreignKey: 'customerId', as: 'orders' });
    Customer.hasOne(models.Account, { foreignKey: 'customerId' });
    Customer.belongsToMany(models.Tag, { through: models.CustomerTag, foreignKey: 'customerId', otherKey: 'tagId' });
  };
  return Customer;
};
