// Run in the folder of the package cli after its bundle: `keelson why` prints the entries of this page offline.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';

copyFileSync(join(import.meta.dirname, '..', 'docs', 'errors.md'), join('dist', 'errors.md'));
