// SPDX-License-Identifier: MIT
module.exports = (sequelize, DataTypes) => {
  const Tag = sequelize.define('Tag', { word: DataTypes.STRING }, { tableName: 'tag' });
  const CustomerTag = sequelize.define('CustomerTag', {}, { tableName: 'customerTag' });
  Tag.associate = models =>
    Tag.belongsToMany(models.Customer, { through: CustomerTag, foreignKey: 'tagId', otherKey: 'customerId' });
  return Tag;
};
