/**
 * Prints a software bill of materials (CycloneDX) of the published packages and of those that they install.
 *
 *     npm run --silent sbom
 *
 * npm lists what all workspaces and their tests install. The bill has what can be reached from the published packages:
 * `--omit dev` of npm would also omit a dependency of theirs that another workspace has among its `devDependencies`.
 */
import { join } from 'node:path';
import { shellIn } from './shell.ts';
import { installedNames, publishedPackages, readWorkspaces } from './workspace-packages.ts';

/** The members of a bill in CycloneDX that are read here. Others are kept as they are. */
interface Bill {
  readonly metadata: { readonly component: { readonly 'bom-ref': string } };
  /** `bom-ref` is the name and the version. */
  readonly components: readonly { readonly 'bom-ref': string }[];
  readonly dependencies: readonly Dependency[];
}

interface Dependency {
  readonly ref: string;
  readonly dependsOn?: readonly string[];
}

const folder = join(import.meta.dirname, '../../..');
const manifests = new Map(
  publishedPackages(readWorkspaces(folder)).map(({ manifest }) => [manifest.name, manifest]),
);
const options = ['--package-lock-only', '--sbom-format', 'cyclonedx'];
const wings = ['packages/runtime', 'packages/toolkit'].flatMap((each) => ['--workspace', each]);
const bill = JSON.parse(await shellIn(folder).run('npm', 'sbom', ...options, ...wings)) as Bill;

const installed = new Map<string, Dependency>();
const known = new Map(bill.dependencies.map((each) => [each.ref, each]));
const published = [...known.keys()].filter((ref) => manifests.has(nameIn(ref)));
for (const ref of published) add(ref);
const components = bill.components.filter((component) => installed.has(component['bom-ref']));
const root = { ref: bill.metadata.component['bom-ref'], dependsOn: published };
const dependencies = [root, ...installed.values()];
console.log(JSON.stringify({ ...bill, components, dependencies }, undefined, 2));

/** Adds a package and the packages that are installed with it. */
function add(ref: string): void {
  if (installed.has(ref)) return;
  const manifest = manifests.get(nameIn(ref));
  const all = known.get(ref)?.dependsOn ?? [];
  // For a workspace npm lists its `devDependencies` as well.
  const names = manifest === undefined ? undefined : new Set(installedNames(manifest));
  const dependsOn = all.filter((each) => names === undefined || names.has(nameIn(each)));
  installed.set(ref, { ref, dependsOn });
  for (const each of dependsOn) add(each);
}

function nameIn(ref: string): string {
  return ref.replace(/@[^@]*$/, '');
}
