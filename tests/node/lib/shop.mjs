// SPDX-License-Identifier: MIT
// tests/node/lib/shop.mjs - a database that is not the sample: a shop with snake_case names, keys of text, orders in
// lines, no companies. Its rows are computed, so what a test expects can be counted by a statement of its own.
import { DatabaseSync } from 'node:sqlite';
import { tempPath } from './harness.mjs';

const COUNTRIES = ['Germany', 'Brazil', 'France', 'Austria', 'Mexico', 'Spain'];
const NAMES = ['Alfreds Futterkiste', 'Bon App', 'Comercio Mineiro', 'Drachenblut', 'Ernst Handel', 'Folk och Fä', 'Godos Cocina', 'Hungry Coyote', 'Island Trading', 'La Maison', 'Mère Paillarde', 'Old World', 'Piccolo', 'Queen Cozinha', 'Rancho Grande', 'Simons Bistro', 'Tortuga', 'Vins et Alcools'];
const CATEGORIES = ['Beverages', 'Condiments', 'Confections', 'Dairy products', 'Seafood'];

const TABLES = `
CREATE TABLE customers (customer_id TEXT PRIMARY KEY, company_name TEXT NOT NULL, country TEXT NOT NULL);
CREATE TABLE categories (category_id INTEGER PRIMARY KEY, category_name TEXT NOT NULL);
CREATE TABLE products (product_id INTEGER PRIMARY KEY, product_name TEXT NOT NULL, category_id INTEGER NOT NULL REFERENCES categories, unit_price REAL NOT NULL);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id TEXT NOT NULL REFERENCES customers, order_date DATE NOT NULL, freight REAL NOT NULL, ship_status TEXT NOT NULL);
CREATE TABLE order_details (order_id INTEGER NOT NULL REFERENCES orders, product_id INTEGER NOT NULL REFERENCES products, quantity INTEGER NOT NULL, PRIMARY KEY (order_id, product_id));`;

// Its path. 18 customers, 40 products, 400 orders in 24 months.
export const makeShop = name => {
  const path = tempPath(name), database = new DatabaseSync(path);
  database.exec(`${TABLES} BEGIN`);
  const add = (table, ...values) => database.prepare(`INSERT INTO ${table} VALUES (${values.map(() => '?').join(', ')})`).run(...values);
  const keyOf = text => text.normalize('NFD').replace(/[^A-Za-z]/g, '').slice(0, 5).toUpperCase();
  NAMES.forEach((one, i) => add('customers', keyOf(one), one, COUNTRIES[i % COUNTRIES.length]));
  CATEGORIES.forEach((one, i) => add('categories', i + 1, one));
  for (let i = 1; i <= 40; i++)
    add('products', i, `Product ${i}`, i % CATEGORIES.length + 1, 4 + i * 1.25);
  for (let i = 0; i < 400; i++) {
    const month = i % 24, day = i % 27 + 1;
    add('orders', 10248 + i, keyOf(NAMES[i * i % NAMES.length]), `${2023 + Math.floor(month / 12)}-${String(month % 12 + 1).padStart(2, '0')}-${String(day).padStart(2, '0')}`, 10 + i * 37 % 200 / 4, ['shipped', 'open', 'late'][i % 7 % 3]);
    for (let k = 0; k < 1 + i % 3; k++)
      add('order_details', 10248 + i, (i * 7 + k * 11) % 40 + 1, 1 + (i + k) % 9);
  }
  database.exec('COMMIT');
  database.close();
  return path;
};

// The settings of a server in front of it.
export const shopSettings = { ASKD_TENANT_COLUMN: '', ASKD_SHARED_TABLES: '', ASKD_SECURE_VIEWS: '' };
