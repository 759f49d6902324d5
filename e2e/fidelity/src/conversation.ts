import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import type { Step } from './step.ts';

/** The steps of one file. Chapters are independent: each has its own namespace. */
export interface Chapter {
  readonly name: string;
  readonly steps: readonly Step[];
}

const folder = fileURLToPath(new URL('../conversation/', import.meta.url));

/** Reads every chapter in the order of the file names, with `each` expanded. */
export async function readConversation(from: string = folder): Promise<Chapter[]> {
  const files = (await readdir(from)).filter((name) => name.endsWith('.yaml')).toSorted();
  return Promise.all(
    files.map(async (file) => {
      const name = file.replace(/\.yaml$/, '');
      const steps = load(await readFile(join(from, file), 'utf8')) as Step[];
      return { name, steps: checkNames(name, steps.flatMap(expand)) };
    }),
  );
}

/** Returns the number of requests of some steps; watches and the steps during them count. */
export function countSteps(steps: readonly Step[]): number {
  return steps.reduce((sum, step) => sum + 1 + countSteps(step.during ?? []), 0);
}

/** Returns a step for each set of variables of a step. */
export function expand(step: Step): Step[] {
  const { each, ...rest } = step;
  return each === undefined ? [rest] : each.map((variables) => substitute(rest, variables));
}

/** Replaces `${name}` by the value of the variable everywhere in a step. Unknown names stay. */
export function substitute<T>(value: T, variables: Readonly<Record<string, string>>): T {
  if (typeof value === 'string') {
    return value.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => variables[name] ?? whole) as T;
  }
  if (Array.isArray(value)) return value.map((item) => substitute<unknown>(item, variables)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      substitute(key, variables),
      substitute<unknown>(inner, variables),
    ]),
  ) as T;
}

function checkNames(chapter: string, steps: readonly Step[]): readonly Step[] {
  const seen = new Set<string>();
  for (const { name } of steps) {
    if (seen.has(name))
      throw new Error(`two steps have the same name (chapter=${chapter}, name=${name})`);
    seen.add(name);
  }
  return steps;
}
