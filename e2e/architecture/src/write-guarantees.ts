import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { printGuaranteePage, readDoors } from './guarantee-page.ts';
import { root } from './source-file.ts';
import { readWorkspace } from './workspace.ts';

const page = printGuaranteePage(readDoors(readWorkspace().packages));
writeFileSync(join(root, 'docs/guarantees.md'), page);
