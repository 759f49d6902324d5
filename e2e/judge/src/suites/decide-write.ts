import type { JsonObject } from '@keelson/structural-schema';
import { decisionOfJudge, decisionOfServer, type JudgedWrite } from '../comparison/decision.ts';
import { compareDecisions, type Verdict } from '../comparison/verdict.ts';
import { UndecidedError } from '../judge.ts';
import type { ServerResponse } from '../server-in-memory.ts';
import type { Sides } from './suite.ts';

/** A write as a request to the server and as a question to the Go program. */
export interface Write {
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly object: JsonObject;
  readonly op: 'definition' | 'object';
  readonly question: JsonObject;
}

/** The response of the server, and how the decisions compare. */
export interface DecidedWrite {
  readonly response: ServerResponse;
  readonly verdict: Verdict;
}

/** Asks both sides. */
export async function decideWrite({ judge, server }: Sides, write: Write): Promise<DecidedWrite> {
  const [response, judged] = await Promise.all([
    server.send(write.method, write.path, JSON.stringify(write.object)),
    judge.ask(write.op, write.question).catch(undefinedIfUndecided),
  ]);
  const ours = decisionOfServer(response);
  if (judged === undefined)
    return { response, verdict: { agreement: 'undecided', ours, judge: ours } };
  return { response, verdict: compareDecisions(ours, decisionOfJudge(judged as JudgedWrite)) };
}

function undefinedIfUndecided(error: unknown): undefined {
  if (!(error instanceof UndecidedError)) throw error;
}
