import { promisesOf } from './promise.ts';
import { readSource } from '../sources/source-file.ts';

/** A package and the promises in the first comment of its `src/index.ts`. */
export interface PackagePromises {
  /** `@keelson/informer`. */
  readonly name: string;
  /** `packages/runtime/informer`. */
  readonly folder: string;
  readonly promises: readonly string[];
}

/** Reads the promises of packages from the repository. */
export function readPackagePromises(
  packages: readonly Pick<PackagePromises, 'name' | 'folder'>[],
): PackagePromises[] {
  return packages.map(({ name, folder }) => ({
    name,
    folder,
    promises: promisesOf(readSource(`${folder}/src/index.ts`)),
  }));
}

const introduction = `# Guarantees

The guarantees of each package. Each sentence is a bullet in the first doc comment of the package's \`src/index.ts\`
and, in the same words, the name of a test in its \`promises.test.ts\`. \`npm run docs:guarantees\` generates this page;
a test fails if it is out of date.
`;

/** Returns the text of `docs/guarantees.md`. */
export function printGuaranteePage(packages: readonly PackagePromises[]): string {
  const sections = packages.map(({ name, folder, promises }) => {
    const tests = `[tests](../${folder}/src/promises.test.ts)`;
    return `## ${name}\n\n${promises.map((promise) => `- ${promise}`).join('\n')}\n\n${tests}\n`;
  });
  return [introduction, ...sections].join('\n');
}
