import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { entryModuleOf, printExportList } from './export-list.ts';
import { root } from '../sources/source-file.ts';
import { readWorkspace } from '../sources/workspace.ts';

const { packages, modules } = readWorkspace();
for (const { folder } of packages) {
  const path = `e2e/checks/exports/${basename(folder)}.txt`;
  writeFileSync(join(root, path), printExportList(entryModuleOf(folder, modules)));
  process.stdout.write(`${path}\n`);
}
