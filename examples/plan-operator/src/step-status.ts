// #region status
/** The status of a step, and by `summaryOf` of a phase and of a plan. */
export const stepStatuses = ['Pending', 'InProgress', 'Error', 'FatalError', 'Complete'] as const;
export type StepStatus = (typeof stepStatuses)[number];

export const stepEvents = ['start', 'succeed', 'fail', 'failFatally'] as const;
export type StepEvent = (typeof stepEvents)[number];

/** The next status for each status and event. Every other pair is a bug of this operator. */
const transitions: Readonly<Record<StepStatus, Partial<Record<StepEvent, StepStatus>>>> = {
  Pending: { start: 'InProgress' },
  // A step that a crash interrupted starts again.
  InProgress: {
    start: 'InProgress',
    succeed: 'Complete',
    fail: 'Error',
    failFatally: 'FatalError',
  },
  Error: { start: 'InProgress' },
  FatalError: {},
  Complete: {},
};

/** Throws for an event that cannot occur in this status. */
export function nextStatus(status: StepStatus, event: StepEvent): StepStatus {
  const next = transitions[status][event];
  if (next === undefined) throw new Error(`a step that is ${status} cannot ${event}`);
  return next;
}
// #endregion

/** The worst of the statuses; `Complete` and `Pending` only if all are. */
export function summaryOf(statuses: readonly StepStatus[]): StepStatus {
  for (const worst of ['FatalError', 'Error'] as const) {
    if (statuses.includes(worst)) return worst;
  }
  for (const common of ['Complete', 'Pending'] as const) {
    if (statuses.every((status) => status === common)) return common;
  }
  return 'InProgress';
}
