import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { printRedirect, printVersions, sortVersions } from './versions.ts';

/** A built site, and the folder of all published versions. */
export interface Publication {
  readonly site: string;
  /** The folder in `into` that the site replaces: `0.2` or `next`. */
  readonly folder: string;
  readonly into: string;
}

/** Copies a built site beside those of other versions, and writes the pages that lead to them. */
export function publishSite({ site, folder, into }: Publication): void {
  rmSync(join(into, folder), { recursive: true, force: true });
  cpSync(site, join(into, folder), { recursive: true });
  const versions = sortVersions(readdirSync(into));
  writeFileSync(join(into, 'index.html'), printRedirect(versions));
  writeFileSync(join(into, 'versions.html'), printVersions(versions));
  // GitHub Pages would leave out files whose names begin with an underscore.
  writeFileSync(join(into, '.nojekyll'), '');
}
