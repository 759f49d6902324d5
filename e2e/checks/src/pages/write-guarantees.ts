import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { printGuaranteePage, readPackagePromises } from './guarantee-page.ts';
import { root } from '../sources/source-file.ts';
import { readPackages } from '../sources/workspace.ts';

const page = printGuaranteePage(readPackagePromises(readPackages()));
writeFileSync(join(root, 'docs/guarantees.md'), page);
