import { describe, expect, test } from '@jest/globals';

import { findForbiddenImports, kindModuleLoader, parseArrowTable } from './imports/arrow.ts';
import { clientNodeModule, findClientNodeLoads } from './imports/client-node-import.ts';
import { findConformanceProblems } from './pages/conformance.ts';
import { readBehaviours, readCoverage } from './pages/known-behaviours.ts';
import { printConformancePage } from './pages/conformance-page.ts';
import { findErrorProblems, parseErrorPage } from './pages/error-page.ts';
import { findUndocumented } from './exports/doc-comment.ts';
import { packageReader } from './exports/declaration-file.ts';
import { entryPointsOf, printExportList } from './exports/export-list.ts';
import { printSignatureReport } from './exports/signature-report.ts';
import { findStyleProblems } from './style/house-style.ts';
import { readLater, readNotApplicable } from './pages/later.ts';
import { findUnclearNames } from './style/identifiers.ts';
import { dataSentences, findUnclearProse, pageSentences, sentencesOf } from './style/prose.ts';
import { findMetricProblems, parseDesignedMetrics, parseMetricPage } from './pages/metric-page.ts';
import { printGuaranteePage, readPackagePromises } from './pages/guarantee-page.ts';
import { promisesOf, withoutIds } from './pages/promise.ts';
import { readPages, readSource, readSources } from './sources/source-file.ts';
import { findInnerImports, findUnlistedImports } from './imports/unlisted-import.ts';
import { findFolderCycles } from './imports/source-folder.ts';
import { readWorkspace } from './sources/workspace.ts';

const workspace = readWorkspace();
const { packages, modules } = workspace;

describe('imports', () => {
  test('form no cycle, or oxlint refuses them; type imports count', () => {
    const rule = '"import/no-cycle": ["error", { "ignoreTypes": false }]';
    expect(readSource('.oxlintrc.json').text).toContain(rule);
  });

  test('follow the arrows of docs/architecture.md and what each package.json lists', () => {
    const table = parseArrowTable(readSource('docs/architecture.md').text);
    expect([...table.keys()].toSorted()).toEqual(packages.map(({ name }) => name).toSorted());
    expect(findForbiddenImports(workspace, table)).toEqual([]);
    expect(modules.map(({ path }) => path)).toContain(kindModuleLoader);
  });

  test('are of packages that the package.json lists, as the strict layout of pnpm requires', () => {
    expect(findUnlistedImports(workspace)).toEqual([]);
  });

  test('of Keelson in examples are @keelson/manager and the packages for tests', () => {
    expect(findInnerImports(workspace)).toEqual([]);
  });

  test('load client-node in one module', () => {
    expect(modules.map(({ path }) => path)).toContain(clientNodeModule);
    expect(findClientNodeLoads(modules)).toEqual([]);
  });
});

describe('sources', () => {
  test('have specific file names and named exports', () => {
    const sources = modules.filter(({ path }) => path.includes('/src/'));
    expect(findStyleProblems(sources)).toEqual([]);
  });

  test('R3-14 have functions with at most 20 paths, or oxlint refuses them', () => {
    expect(readSource('.oxlintrc.json').text).toContain('"complexity": ["error", { "max": 20 }]');
  });

  test('lie in folders that do not import each other', () => {
    expect(findFolderCycles(workspace)).toEqual([]);
  });
});

/** Pages that a script generates from other texts. */
const generated: ReadonlySet<string> = new Set([
  'docs/conformance.md',
  'docs/apiserver-differences.md',
]);

/** Requests and objects that tests send, and lists of names. */
const recorded = /\/(?:conversation|sessions|exports)\//;

describe('prose', () => {
  test('of comments and test names uses plain words', () => {
    const sources = readSources(['packages', 'examples', 'e2e']);
    expect(findUnclearProse(sources.flatMap(sentencesOf))).toEqual([]);
  });

  test('of Go, YAML and lists of behaviours uses plain words', () => {
    const data = readSources(['e2e'], ['go', 'yaml', 'txt']).filter(
      ({ path }) => !recorded.test(path),
    );
    expect(data.length).toBeGreaterThan(20);
    expect(findUnclearProse(data.flatMap(dataSentences))).toEqual([]);
  });

  test('of identifiers uses plain words', () => {
    expect(findUnclearNames(readSources(['packages', 'examples', 'e2e']))).toEqual([]);
  });

  test('of pages uses plain words', () => {
    const pages = readPages(['.', 'docs', 'packages', 'examples', 'e2e']);
    expect(pages.map(({ path }) => path)).toContain('README.md');
    const written = pages.filter(({ path }) => !generated.has(path));
    expect(findUnclearProse(written.flatMap(pageSentences))).toEqual([]);
  });
});

describe('exports', () => {
  const entryPoints = packages.flatMap(({ folder }) =>
    entryPointsOf(folder, modules).map((entryPoint) => ({ folder, ...entryPoint })),
  );

  test.each(entryPoints)(
    'of $name equal the committed list (npm run exports:update)',
    ({ name, module }) => {
      expect(printExportList(module)).toBe(readSource(`e2e/checks/exports/${name}.txt`).text);
    },
  );

  test.each(entryPoints)(
    'of $name have the committed types (npm run exports:update)',
    ({ folder, name, module }) => {
      expect(printSignatureReport(module.path, packageReader(folder))).toBe(
        readSource(`e2e/checks/exports/signatures/${name}.txt`).text,
      );
    },
  );
});

describe('doc comments', () => {
  const files = new Map(readSources(['packages']).map(({ path, text }) => [path, text]));

  test.each(
    packages.flatMap(({ folder }) =>
      entryPointsOf(folder, modules).map(({ module }) => module.path),
    ),
  )('of the exports of %s say more than the name', (path) => {
    expect(findUndocumented(readSource(path), files)).toEqual([]);
  });
});

describe('promises', () => {
  test.each(packages.map(({ folder }) => folder))(
    'of %s have one test each, in the same words',
    (folder) => {
      const promises = promisesOf(readSource(`${folder}/src/index.ts`));
      const files = new Set(
        ['', '.process'].map((sort) => `${folder}/src/promises${sort}.test.ts`),
      );
      const tests = modules.filter(({ path }) => files.has(path));
      const names = tests.flatMap(({ testNames }) => testNames.map((name) => withoutIds(name)));
      expect(promises).not.toEqual([]);
      expect(names.toSorted()).toEqual(promises.toSorted());
    },
  );
});

describe('pages', () => {
  test('docs/guarantees.md lists the promises of all packages (npm run docs:guarantees)', () => {
    expect(readSource('docs/guarantees.md').text).toBe(
      printGuaranteePage(readPackagePromises(packages)),
    );
  });

  test('docs/errors.md lists exactly the error codes of the sources', () => {
    const page = parseErrorPage(readSource('docs/errors.md').text);
    expect(findErrorProblems(workspace, page)).toEqual([]);
  });

  test('docs/metrics.md lists exactly the metrics of the sources and of the design', () => {
    const page = parseMetricPage(readSource('docs/metrics.md').text);
    const designed = parseDesignedMetrics(readSource('e2e/checks/data/metrics.txt').text);
    expect(findMetricProblems(modules, page, designed)).toEqual([]);
  });

  test('docs/conformance.md lists the tests of the suite (npm run docs:conformance)', () => {
    const groups = readBehaviours();
    const coverage = readCoverage(modules);
    const later = [...readLater(), ...readNotApplicable()];
    expect(findConformanceProblems(groups, coverage, later)).toEqual([]);
    expect(readSource('docs/conformance.md').text).toBe(
      printConformancePage(groups, coverage, later),
    );
  });
});
