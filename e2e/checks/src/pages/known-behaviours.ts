import {
  coverageOf,
  parseBehaviours,
  withSame,
  type BehaviourGroup,
  type Coverage,
} from './conformance.ts';
import { readSource } from '../sources/source-file.ts';
import type { SourceModule } from '../sources/source-module.ts';

/** Reads the behaviours of the parts, the requirements of systems, and the cases of peers. */
export function readBehaviours(): BehaviourGroup[] {
  const files = ['behaviours', 'systems', 'peers'];
  return files.flatMap((name) => parseBehaviours(readSource(`e2e/checks/data/${name}.txt`).text));
}

/** The tests of each behaviour and requirement. */
export function readCoverage(modules: readonly SourceModule[]): Coverage {
  const same = readSource('e2e/checks/data/same-behaviours.json').text;
  return withSame(coverageOf(modules), JSON.parse(same) as Record<string, readonly string[]>);
}
