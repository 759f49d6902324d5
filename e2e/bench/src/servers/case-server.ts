import type { Address, Command, Reply } from './protocol.ts';

/** The server of a case while its contenders are measured, one after the other. */
export interface CaseServer {
  readonly address: Address;
  ask(command: Command): Promise<Reply>;
  /** Processor time that the server has used, in seconds; `undefined` if unknown. */
  cpuSeconds?(): number | undefined;
}
