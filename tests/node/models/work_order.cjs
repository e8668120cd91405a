// SPDX-License-Identifier: MIT
module.exports = (sequelize, DataTypes) => {
  const WorkOrder = sequelize.define('WorkOrder', {
    customerId: { type: DataTypes.INTEGER, field: 'customer_id' },
    inspectorId: DataTypes.INTEGER,
  }, { tableName: 'work_order', schema: 'field' });
  WorkOrder.associate = models => {
    WorkOrder.belongsTo(models.Customer, { foreignKey: 'customerId', as: 'customer' });
    WorkOrder.belongsTo(models.WorkOrder, { foreignKey: 'inspectorId', as: 'before', constraints: false });
  };
  return WorkOrder;
};
