// Prints the page as JSON, for programs that run from the sources.
import { buildPage } from './build-page.mjs';

const { zipped, policy } = await buildPage();
process.stdout.write(JSON.stringify({ zipped: zipped.toString('base64'), policy }));
