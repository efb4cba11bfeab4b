import { useQuery, type UseQueryOptions } from '@tanstack/react-query';
import { config, upstreams } from './admin';
import { alertTypes, filterOptions } from './sessions';
import type { Configuration, FilterOptions, Upstreams } from './types';

/** Queries that several components share by their keys. */

type Options<T> = Omit<UseQueryOptions<T>, 'queryKey' | 'queryFn'>;

/** The configuration in effect, as far as the user's role may read it. */
export const useConfig = (options: Options<Configuration> = {}) =>
  useQuery({ queryKey: ['config'], queryFn: async ({ signal }) => config(signal), staleTime: 60_000, ...options });

/** Values that sessions can be filtered by. */
export const useFilterOptions = (options: Options<FilterOptions> = {}) =>
  useQuery({
    queryKey: ['filter-options'],
    queryFn: async ({ signal }) => filterOptions(signal),
    staleTime: 60_000,
    ...options,
  });

/** Providers and tool servers with the calls of the last hour. */
export const useUpstreams = (options: Options<Upstreams> = {}) =>
  useQuery({
    queryKey: ['upstreams'],
    queryFn: async ({ signal }) => upstreams(signal),
    staleTime: 10_000,
    refetchInterval: 20_000,
    ...options,
  });

/** Alert types that some chain handles. */
export const useAlertTypes = () =>
  useQuery({ queryKey: ['alert-types'], queryFn: async ({ signal }) => alertTypes(signal) });
