import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { entryPointsOf, printExportList } from './export-list.ts';
import { packageReader } from './declaration-file.ts';
import { printSignatureReport } from './signature-report.ts';
import { root } from '../sources/source-file.ts';
import { readWorkspace } from '../sources/workspace.ts';

const { packages, modules } = readWorkspace();
mkdirSync(join(root, 'e2e/checks/exports/signatures'), { recursive: true });
for (const { folder } of packages) {
  for (const { name, module } of entryPointsOf(folder, modules)) {
    write(`e2e/checks/exports/${name}.txt`, printExportList(module));
    const report = printSignatureReport(module.path, packageReader(folder));
    write(`e2e/checks/exports/signatures/${name}.txt`, report);
  }
}

function write(path: string, text: string): void {
  writeFileSync(join(root, path), text);
  process.stdout.write(`${path}\n`);
}
