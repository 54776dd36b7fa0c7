import { formatRub } from '../../contract/money.ts'
import { createServedModels } from '../../service/chat/models.ts'
import type { ServiceConfig } from '../../service/config/service-config.ts'
import type { ProviderWays } from '../../service/providers/provider-http.ts'
import { writeJson, writeTable } from '../command-line/write-output.ts'
import { type ModelTrial, tryUpstream } from './try-model.ts'

/** What one upstream did when it was asked to answer as a model. */
export interface UpstreamTrial {
  model: string
  upstream: string
  trial: ModelTrial
}

/**
 * Asks every upstream of every model for one token, one after the other: a machine that runs models itself may have
 * room for one.
 *
 * @param onAsk Called with a sentence before each.
 */
export async function tryUpstreams(
  config: ServiceConfig,
  ways: ProviderWays,
  onAsk: (sentence: string) => void,
): Promise<UpstreamTrial[]> {
  const { signal } = new AbortController()
  const trials: UpstreamTrial[] = []
  for (const model of createServedModels(config, ways).values()) {
    for (const upstream of model.upstreams) {
      onAsk(`Asking ${upstream.name} for one token of ${model.id} …`)
      const trial = await tryUpstream({ model, upstream }, signal)
      trials.push({ model: model.id, upstream: upstream.name, trial })
    }
  }
  return trials
}

/** Writes who answers, at which cost, and why another one does not. */
export function writeTrials(trials: readonly UpstreamTrial[]): string {
  const columns = [{ head: 'model' }, { head: 'upstream' }, { head: 'one token' }]
  return writeTable(
    columns,
    trials.map(({ model, upstream, trial }) => [model, upstream, describe(trial)]),
  )
}

/** The same for programs. */
export function writeTrialsJson(trials: readonly UpstreamTrial[]): string {
  const written = trials.map(({ model, upstream, trial }) => ({
    model,
    upstream,
    answers: trial.answers,
    ...(trial.answers ? { cost_rub: formatRub(trial.costMicroRub) } : { said: trial.said }),
  }))
  return writeJson({ trials: written })
}

function describe(trial: ModelTrial): string {
  if (!trial.answers) return `does not answer: ${trial.said}`
  return `answers, ${trial.isEstimated ? '≈ ' : ''}₽${formatRub(trial.costMicroRub)}`
}
