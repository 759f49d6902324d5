/** `npm run bench:table`: renders the table of `docs/performance.md` from the kept results. */
import { writePage } from './page-file.ts';

writePage();
