import { tour } from './tour.ts';

const { stamps, warnings, refusals } = await tour(console.log);
console.log(`stamps: ${JSON.stringify(stamps)}`);
console.log(`warnings about ap: ${warnings}; errors of Secrets: ${[...refusals].join(', ')}`);
