/** The field manager that applies the condition. */
export const flowStatusManager = 'api-priority-and-fairness-config-consumer-v1';

/**
 * The condition `Dangling` of a flow schema: whether the priority level that it names is missing. Source:
 * `presyncFlowSchemaStatus` in `pkg/util/flowcontrol/apf_controller.go`.
 */
export function danglingCondition(
  level: string,
  isMissing: boolean,
): Readonly<Record<'type' | 'status' | 'reason' | 'message', string>> {
  const reference = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
  return {
    type: 'Dangling',
    status: isMissing ? 'True' : 'False',
    reason: isMissing ? 'NotFound' : 'Found',
    message: `${reference} ${isMissing ? 'but there is no such object' : 'and it exists'}`,
  };
}
