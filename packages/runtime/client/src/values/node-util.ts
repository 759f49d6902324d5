/** The module `node:util`. An `import` of it reads each export, which loads other modules of Node.js: 5 ms. */
export const nodeUtil: typeof import('node:util') = process.getBuiltinModule('node:util');
