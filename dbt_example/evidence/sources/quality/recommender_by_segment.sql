select * from read_parquet('sources/quality/recommender_by_segment.parquet')
