/**
 * Prints a software bill of materials (CycloneDX) of the published packages and what they install.
 *
 *     npm run --silent sbom
 *
 * npm finds workspaces by the name of their folder, and so includes private ones whose folder has the name of a package, such
 * as `examples/fleet`. They are removed here.
 */
import { join } from 'node:path';
import { shellIn } from './shell.ts';
import { publishedPackages, readWorkspaces } from './workspace-packages.ts';

/** The members of a bill in CycloneDX that are read here. Others are kept as they are. */
interface Bill {
  /** `bom-ref` is the name and the version. */
  readonly components: readonly { readonly 'bom-ref': string }[];
  readonly dependencies: readonly {
    readonly ref: string;
    readonly dependsOn?: readonly string[];
  }[];
}

const root = join(import.meta.dirname, '../../..');
const workspaces = readWorkspaces(root);
const published = new Set(publishedPackages(workspaces).map(({ manifest }) => manifest.name));
const unpublished = new Set(
  workspaces.map(({ manifest }) => manifest.name).filter((name) => !published.has(name)),
);
const options = ['--package-lock-only', '--sbom-format', 'cyclonedx', '--omit', 'dev'];
const folders = ['packages/runtime', 'packages/toolkit'].flatMap((each) => ['--workspace', each]);
const bill = JSON.parse(await shellIn(root).run('npm', 'sbom', ...options, ...folders)) as Bill;

const isListed = (ref: string): boolean => !unpublished.has(ref.replace(/@[^@]*$/, ''));
const components = bill.components.filter((component) => isListed(component['bom-ref']));
const dependencies = bill.dependencies
  .filter(({ ref }) => isListed(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter(isListed) }));
console.log(JSON.stringify({ ...bill, components, dependencies }, undefined, 2));
