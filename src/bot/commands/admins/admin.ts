import type { CommandDefinition } from '../command.ts'
import { createSteps, type Step } from '../steps.ts'
import { type AlertsDeps, alertsStep } from './alerts.ts'
import { type LimitDeps, limitsStep } from './limit.ts'
import { type MediaDeps, ordersStep } from './media.ts'

type AdminDeps = LimitDeps & AlertsDeps & MediaDeps

const STEPS: readonly Step<AdminDeps>[] = [limitsStep, alertsStep, ordersStep]

/** Shows an admin what holds for everybody: one message, in which buttons lead to each and back. */
export const adminCommand: CommandDefinition<AdminDeps> = {
  name: 'admin',
  audience: 'admins',
  listed: 'in_private',
  create: (deps) => createSteps('admin', STEPS, deps),
}
