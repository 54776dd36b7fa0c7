import { textOf } from '../../wire/params.ts'
import type { Method } from './method.ts'

export const getFile: Method = ({ params }, { files }) => {
  const fileId = textOf(params, 'file_id')
  const { file, path } = files.openPath(fileId)
  return {
    result: {
      file_id: fileId,
      file_unique_id: file.uniqueId,
      file_size: file.size,
      file_path: path,
    },
  }
}
