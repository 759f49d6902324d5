/** Runs one job and reports its measurement. The runner forks this process for each run. */
import { jobs } from '../jobs/jobs.ts';
import type { Address, Command, JobContext, JobOptions, Reply } from '../servers/protocol.ts';

interface Assignment {
  readonly job: string;
  readonly options: JobOptions;
  readonly server?: Address;
}

const assignment = JSON.parse(process.argv[2] ?? '{}') as Assignment;
const waiting = new Map<number, (reply: Reply) => void>();
let lastId = 0;

const context: JobContext = {
  options: assignment.options,
  get server(): Address {
    if (assignment.server === undefined) throw new Error('this case has no server');
    return assignment.server;
  },
  ask(command: Command): Promise<Reply> {
    const id = ++lastId;
    process.send?.({ id, command });
    return new Promise((resolve) => waiting.set(id, resolve));
  },
};

process.on('message', ({ id, reply }: { id: number; reply: Reply }) => {
  waiting.get(id)?.(reply);
  waiting.delete(id);
});

// The caller has stopped waiting.
process.on('disconnect', () => process.exit());

const load = jobs[assignment.job];
if (load === undefined) throw new Error(`no job ${assignment.job}`);
const job = await load();
const metrics = await job(context);
process.send?.({ metrics }, () => process.exit());
