select * from read_parquet('sources/quality/log_by_month.parquet')
