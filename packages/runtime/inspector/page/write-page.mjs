// Run after tsc in the build of the package: writes its only module, which has the built page in its code.
import { writeFileSync } from 'node:fs';
import { buildPage } from './build-page.mjs';

const { zipped, policy } = await buildPage();
const code = `/** The page, zipped with gzip, in base64. */
const zipped = '${zipped.toString('base64')}';

/** Returns the page. */
export async function inspectorPage() {
  return { zipped: Buffer.from(zipped, 'base64'), policy: ${JSON.stringify(policy)} };
}
`;
writeFileSync(new URL('../dist/index.js', import.meta.url), code);
console.log(`the page has ${zipped.length} bytes zipped`);
