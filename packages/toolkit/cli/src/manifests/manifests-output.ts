import { join } from 'node:path';
import { entriesOf, type Output } from '../output/output-folder.ts';
import type { OutputWords } from '../output/write-output.ts';
import type { Project } from '../project/project.ts';
import { generateManifests } from './generate-manifests.ts';
import { readSources } from './operator/operator-sources.ts';
import { generatedMark } from './text/generated-mark.ts';

/** How `keelson manifests` names its files. */
export const manifestsWords: OutputWords = { subject: 'The manifests', file: 'file' };

/** The folder below the project if no other one is given. */
const DEFAULT_FOLDER = 'deploy';

/** Generates the manifests of a project for a folder. Throws the errors of `readSources` and `MANIFEST_CONFLICT`. */
export async function manifestsOutput(
  project: Project,
  folder: string = join(project.folder, DEFAULT_FOLDER),
): Promise<Output> {
  return {
    folder,
    files: generateManifests(project, await readSources(project)),
    mark: generatedMark,
    mayBeStale: [
      ...(await filesBelow(folder, 'kustomize')),
      ...(await filesBelow(folder, 'chart')),
    ],
  };
}

/** Returns the paths of the files in a folder and its subfolders, such as an object that the command generates no longer. */
async function filesBelow(root: string, path: string): Promise<readonly string[]> {
  const entries = await entriesOf(join(root, path));
  const found = await Promise.all(
    entries.map(async (entry) => {
      const below = `${path}/${entry.name}`;
      if (entry.isDirectory()) return filesBelow(root, below);
      return entry.isFile() ? [below] : [];
    }),
  );
  return found.flat().toSorted();
}
