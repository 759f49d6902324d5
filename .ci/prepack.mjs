// Run in the folder of a package before it is packed: the licence and the changelog go in, and the declarations of
// sources that are gone go out; tsc never deletes, and the bundles are new in each build.
import { copyFileSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const pages = `https://github.com/keelson/keelson/blob/v${version}/`;

copyFileSync(join(root, 'LICENSE'), 'LICENSE');
// The changelog links to pages of the repository, which are not in the package.
const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
writeFileSync('CHANGELOG.md', changelog.replaceAll(/\]\((?!https?:|#)/g, `](${pages}`));
for (const file of globSync('dist/**/*.d.ts{,.map}')) {
  const source = file.replace(/^dist/, 'src').replace(/\.d\.ts(\.map)?$/, '.ts');
  if (!existsSync(source)) rmSync(file);
}
