import { join } from 'node:path';
import { partsOf } from '../manifests/objects/operator-parts.ts';
import { readSources } from '../manifests/operator/operator-sources.ts';
import { operatorOf } from '../manifests/operator/operator.ts';
import { entriesOf, type Output } from '../output/output-folder.ts';
import type { OutputWords } from '../output/write-output.ts';
import type { Project } from '../project/project.ts';
import { BUNDLE_MARK, bundleFiles, type Channels } from './bundle-files.ts';

/** How `keelson bundle` names its files. */
export const bundleWords: OutputWords = { subject: 'The bundle', file: 'file' };

/** Generates the bundle of a project for a folder. Throws the errors of `readSources` and `BUNDLE_UNSUPPORTED`. */
export async function bundleOutput(
  project: Project,
  channels: Channels,
  folder: string = join(project.folder, 'deploy', 'bundle'),
): Promise<Output> {
  const about = { ...channels, provider: providerOf(project) };
  const files = bundleFiles(partsOf(operatorOf(project)), await readSources(project), about);
  const present = await entriesOf(join(folder, 'manifests'));
  const mayBeStale = present
    .filter((entry) => entry.isFile())
    .map(({ name }) => `manifests/${name}`);
  return { folder, files, mark: BUNDLE_MARK, mayBeStale };
}

/** The scope of the package, such as `me` of `@me/order-operator`; its name without one. */
function providerOf({ name }: Project): string {
  return /^@([^/]+)\//.exec(name)?.[1] ?? name;
}
