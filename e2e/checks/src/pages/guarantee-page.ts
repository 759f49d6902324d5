import { promisesOf } from './promise.ts';
import { readSource } from '../sources/source-file.ts';

/** A package and the promises at its door. */
export interface Door {
  /** `@keelson/informer`. */
  readonly name: string;
  /** `packages/informer`. */
  readonly folder: string;
  readonly promises: readonly string[];
}

/** The doors of packages as they are in the repository. */
export function readDoors(packages: readonly Pick<Door, 'name' | 'folder'>[]): Door[] {
  return packages.map(({ name, folder }) => ({
    name,
    folder,
    promises: promisesOf(readSource(`${folder}/src/index.ts`)),
  }));
}

const introduction = `# Guarantees

What Keelson promises, package by package. Each sentence is a bullet in the doc comment with which the package's
\`src/index.ts\` opens and, in the same words, a test in its \`promises.test.ts\`. This page is written from there by
\`npm run docs:guarantees\`; a test fails when they differ.
`;

/** What \`docs/guarantees.md\` says. */
export function printGuaranteePage(doors: readonly Door[]): string {
  const sections = doors.map(({ name, folder, promises }) => {
    const tests = `[tests](../${folder}/src/promises.test.ts)`;
    return `## ${name}\n\n${promises.map((promise) => `- ${promise}`).join('\n')}\n\n${tests}\n`;
  });
  return [introduction, ...sections].join('\n');
}
