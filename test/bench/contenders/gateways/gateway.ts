import type { RunningProgram } from '../../measuring/program.ts'
import type { Asked } from '../../surroundings/load.ts'

export type GatewayName = 'nginx' | 'bare' | 'llms' | 'Portkey' | 'before' | 'Kopeck'

export interface GatewaySurroundings {
  /** Root of an OpenAI-compatible model, without `/v1`. */
  upstream: string
  /** The processor core that the gateway is kept on. */
  core: string | undefined
  signal: AbortSignal
}

/** A program that stands between those who ask and a model. */
export interface Gateway {
  name: GatewayName
  /** True if PostgreSQL works for it, whose CPU is then its own. */
  usesDatabase: boolean
  start(surroundings: GatewaySurroundings): Promise<RunningGateway>
}

export interface RunningGateway extends Asked, Pick<RunningProgram, 'pid' | 'failed' | 'stop'> {
  /** Its name for the model where it thinks that the model only streams, if it distinguishes such models. */
  streamedModel?: string
}
