import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { entryModuleOf, printExportList } from './export-list.ts';
import { packageReader } from './declaration-file.ts';
import { printSignatureReport } from './signature-report.ts';
import { root } from '../sources/source-file.ts';
import { readWorkspace } from '../sources/workspace.ts';

const { packages, modules } = readWorkspace();
mkdirSync(join(root, 'e2e/checks/exports/signatures'), { recursive: true });
for (const { folder } of packages) {
  const door = entryModuleOf(folder, modules);
  write(`e2e/checks/exports/${basename(folder)}.txt`, printExportList(door));
  const report = printSignatureReport(door.path, packageReader(folder));
  write(`e2e/checks/exports/signatures/${basename(folder)}.txt`, report);
}

function write(path: string, text: string): void {
  writeFileSync(join(root, path), text);
  process.stdout.write(`${path}\n`);
}
