import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { printGuaranteePage, readPackagePromises } from './guarantee-page.ts';
import { root } from '../sources/source-file.ts';
import { readWorkspace } from '../sources/workspace.ts';

const page = printGuaranteePage(readPackagePromises(readWorkspace().packages));
writeFileSync(join(root, 'docs/guarantees.md'), page);
