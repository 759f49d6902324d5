import { isTest } from '../sources/source-file.ts';
import type { SourceModule } from '../sources/source-module.ts';
import { resolveImport } from '../sources/resolve-import.ts';

/** A behaviour with its id, such as `RF02`. */
export interface Behaviour {
  readonly id: string;
  readonly text: string;
}

/** Behaviours under one heading. */
export interface BehaviourGroup {
  readonly title: string;
  readonly behaviours: readonly Behaviour[];
}

/**
 * Behaviours that are not implemented yet, the work that will implement them, and the reason for the delay. Without an
 * owner: behaviours that do not apply, and why.
 */
export interface LaterEntry {
  readonly ids: readonly string[];
  readonly owner: string | undefined;
  readonly why: string;
}

/** A test whose name starts with the id of a behaviour. */
export interface CoveringTest {
  readonly path: string;
  readonly name: string;
}

/** The tests of each behaviour, by id. */
export type Coverage = ReadonlyMap<string, readonly CoveringTest[]>;

/** Parses the list of behaviours: `# heading`, then one line with an id and a sentence for each behaviour. */
export function parseBehaviours(text: string): BehaviourGroup[] {
  const [, ...groups] = text.split(/^# /m);
  return groups.map((group) => {
    const [title = '', ...lines] = group.trim().split('\n');
    return {
      title,
      behaviours: lines.map((line) => {
        const end = line.indexOf(' ');
        return { id: line.slice(0, end), text: line.slice(end + 1) };
      }),
    };
  });
}

/** The id of a behaviour, such as `RF02`, or of a requirement of a system, such as `R0-19b`. */
const idPattern = String.raw`(?:[A-Z]{2}\d{2}|R\d-\d{2}b?)`;
const idsAtStart = new RegExp(String.raw`^${idPattern}(?:[ ,/]+${idPattern})*(?![A-Za-z0-9])`);

/** Returns the ids at the start of a test name: `RF02 RF04 abort …` has two. */
export function idsOf(testName: string): string[] {
  return idsAtStart.exec(testName)?.[0].match(new RegExp(idPattern, 'g')) ?? [];
}

/** Adds the tests of behaviours to the requirements that demand the same. */
export function withSame(
  coverage: Coverage,
  same: Readonly<Record<string, readonly string[]>>,
): Map<string, readonly CoveringTest[]> {
  const all = new Map(coverage);
  for (const [requirement, behaviours] of Object.entries(same)) {
    const tests = behaviours.flatMap((behaviour) => coverage.get(behaviour) ?? []);
    all.set(requirement, [...(coverage.get(requirement) ?? []), ...tests]);
  }
  return all;
}

/** Returns the tests for each id: those of test files, and of the suites that test files import. */
export function coverageOf(modules: readonly SourceModule[]): Map<string, CoveringTest[]> {
  const suites = new Set(
    modules
      .filter(({ path }) => isTest(path))
      .flatMap(({ path, imports }) =>
        imports.map(({ specifier = '' }) => resolveImport(path, specifier)),
      ),
  );
  const coverage = new Map<string, CoveringTest[]>();
  for (const { path, testNames } of modules) {
    if (!isTest(path) && !suites.has(path)) continue;
    for (const name of new Set(testNames)) {
      for (const id of idsOf(name)) {
        coverage.set(id, [...(coverage.get(id) ?? []), { path, name }]);
      }
    }
  }
  return coverage;
}

/**
 * Finds contradictions between behaviours, tests and later work, and behaviours that have neither a test nor an
 * owner.
 */
export function findConformanceProblems(
  groups: readonly BehaviourGroup[],
  coverage: Coverage,
  later: readonly LaterEntry[],
): string[] {
  const known = new Set(groups.flatMap(({ behaviours }) => behaviours.map(({ id }) => id)));
  const laterIds = later.flatMap(({ ids }) => ids);
  return [
    ...[...coverage]
      .filter(([id]) => !known.has(id))
      .map(([id, [first]]) => `${id} in "${first?.name}" is no behaviour`),
    ...laterIds.filter((id) => !known.has(id)).map((id) => `${id} of later work is no behaviour`),
    ...laterIds
      .filter((id, index) => laterIds.indexOf(id) !== index)
      .map((id) => `${id} has two entries of later work`),
    ...laterIds
      .filter((id) => coverage.has(id))
      .map((id) => `${id} has a test meanwhile: take it out of the later work`),
    ...[...known]
      .filter((id) => !coverage.has(id) && !laterIds.includes(id))
      .map((id) => `${id} has neither a test nor an owner`),
  ];
}
