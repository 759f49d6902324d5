import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { load } from 'js-yaml';

/**
 * An admission plugin or a controller of Kubernetes. Exactly one of `built` and `missing` describes its state in
 * Keelson.
 */
export interface ControlPlanePart {
  readonly name: string;
  readonly built?: string;
  readonly missing?: string;
}

/** The components of a control plane that change or reject objects without a client. */
export interface ControlPlaneParts {
  readonly admissionPlugins: readonly ControlPlanePart[];
  readonly controllers: readonly ControlPlanePart[];
}

const file = fileURLToPath(new URL('../control-plane-parts.yaml', import.meta.url));

/** Reads the list. Throws for a part with an unknown member, with both `built` and `missing`, or with neither. */
export async function readControlPlaneParts(): Promise<ControlPlaneParts> {
  const parts = load(await readFile(file, 'utf8')) as ControlPlaneParts;
  for (const part of [...parts.admissionPlugins, ...parts.controllers]) checkPart(part);
  return parts;
}

/** Throws for a text without quotes, because YAML reads the words after its first comma as a member. */
function checkPart({ name, built, missing, ...others }: ControlPlanePart): void {
  const unknown = Object.keys(others);
  if (unknown.length > 0)
    throw new Error(`unknown members of a part (name=${name}): ${unknown.join()}`);
  if ((built === undefined) === (missing === undefined)) {
    throw new Error(`part must have either built or missing (name=${name})`);
  }
}

/**
 * Compares the list with the names in the help text of the binaries in a folder; returns one sentence per
 * difference.
 */
export async function partProblems(parts: ControlPlaneParts, assets: string): Promise<string[]> {
  const [server, manager] = await Promise.all([
    help(join(assets, 'kube-apiserver')),
    help(join(assets, 'kube-controller-manager')),
  ]);
  return [
    ...differences(parts.admissionPlugins, namesIn(server, /default enabled ones \(([^)]+)\)/)),
    ...differences(parts.controllers, namesIn(manager, /All controllers: (.+)/)),
  ];
}

async function help(program: string): Promise<string> {
  const { stdout } = await promisify(execFile)(program, ['--help'], { maxBuffer: 2 ** 24 });
  return stdout;
}

/** Returns the names in the list that a regular expression finds in a help text. */
export function namesIn(text: string, list: RegExp): string[] {
  return (list.exec(text)?.[1] ?? '').split(',').map((name) => name.trim());
}

export function differences(
  parts: readonly ControlPlanePart[],
  names: readonly string[],
): string[] {
  const listed = new Set(parts.map(({ name }) => name));
  const known = new Set(names);
  return [
    ...names.filter((name) => !listed.has(name)).map((name) => `${name} is not listed`),
    ...[...listed].filter((name) => !known.has(name)).map((name) => `${name} does not exist`),
  ];
}
