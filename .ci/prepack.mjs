// Run in the folder of a package before it is packed: the licence goes in, and what an earlier build
// left of sources that are gone goes out; tsc never deletes.
import { copyFileSync, existsSync, globSync, rmSync } from 'node:fs';
import { join } from 'node:path';

copyFileSync(join(import.meta.dirname, '../LICENSE'), 'LICENSE');
for (const file of globSync('dist/**/*.{js,d.ts,map}')) {
  const source = file.replace(/^dist/, 'src').replace(/(\.js|\.d\.ts)(\.map)?$/, '.ts');
  if (!existsSync(source)) rmSync(file);
}
