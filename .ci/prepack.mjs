// Run in the folder of a package before it is packed: the licence goes in, and the declarations of sources that
// are gone go out; tsc never deletes, and the bundles are new in each build.
import { copyFileSync, existsSync, globSync, rmSync } from 'node:fs';
import { join } from 'node:path';

copyFileSync(join(import.meta.dirname, '../LICENSE'), 'LICENSE');
for (const file of globSync('dist/**/*.d.ts{,.map}')) {
  const source = file.replace(/^dist/, 'src').replace(/\.d\.ts(\.map)?$/, '.ts');
  if (!existsSync(source)) rmSync(file);
}
