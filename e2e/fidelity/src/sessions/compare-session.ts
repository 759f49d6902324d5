import { compare, type Agreement, type Difference } from '../comparison.ts';
import type { StepResponse } from '../player.ts';

/** The responses of both servers to one session. */
export interface PlayedSession {
  readonly real: readonly StepResponse[];
  readonly ours: readonly StepResponse[];
}

/** Plays one session; each call uses a namespace of its own. */
export interface SessionStage {
  /** Plays the session on both servers. */
  playBoth(): Promise<PlayedSession>;
  /** Plays the session on kube-apiserver only. */
  playReal(): Promise<readonly StepResponse[]>;
}

/** Steps of a session that agree or differ. Steps that kube-apiserver does not repeat do not count. */
export interface SessionAgreement extends Agreement {
  /** Names of the differing steps in which kube-apiserver disagreed with itself. */
  readonly unstable: readonly string[];
}

/** kube-apiserver walks maps of two entries in either order; 4 repetitions miss the other order in 6 % of the cases. */
const MOST_REPETITIONS = 4;

/**
 * Compares both servers in one session. If an unaccepted difference appears, repeats the session on kube-apiserver alone,
 * and ignores the steps in which kube-apiserver disagrees with itself. A difference that `@keelson/apiserver` shows
 * only in some runs counts.
 */
export async function compareSession(
  name: string,
  stage: SessionStage,
  isAccepted: (difference: Difference) => boolean,
): Promise<SessionAgreement> {
  const { real, ours } = await stage.playBoth();
  const agreement = compare({ [name]: real }, { [name]: ours });
  const open = new Set(
    agreement.differences.filter((found) => !isAccepted(found)).map(({ step }) => step),
  );
  const unstable = new Set<string>();
  for (let count = 0; count < MOST_REPETITIONS && open.size > 0; count++) {
    const again = compare({ [name]: real }, { [name]: await stage.playReal() });
    for (const { step } of again.differences) {
      open.delete(step);
      unstable.add(step);
    }
  }
  return withoutSteps(agreement, unstable);
}

function withoutSteps(agreement: Agreement, unstable: ReadonlySet<string>): SessionAgreement {
  const ignored = agreement.differences.filter(({ step }) => unstable.has(step));
  const sameStatus = ignored.filter(({ statuses: [real, ours] }) => real === ours).length;
  return {
    steps: agreement.steps - ignored.length,
    sameStatus: agreement.sameStatus - sameStatus,
    sameBody: agreement.sameBody,
    differences: agreement.differences.filter(({ step }) => !unstable.has(step)),
    unstable: ignored.map(({ step }) => step),
  };
}
