import { childPath, invalid } from '@keelson/structural-schema';
import { atLeastZero, type ValidationRules } from '../../schema/validation-rule.ts';

/** Validation rules of Leases. */
export const leaseRules: ValidationRules = {
  'coordination.v1.LeaseSpec': (spec, path) => [
    ...(typeof spec.leaseDurationSeconds === 'number' && spec.leaseDurationSeconds <= 0
      ? [
          invalid(
            childPath(path, 'leaseDurationSeconds'),
            spec.leaseDurationSeconds,
            'must be greater than 0',
          ),
        ]
      : []),
    ...atLeastZero(spec, path, 'leaseTransitions'),
  ],
};
