select * from read_parquet('sources/quality/search_figures.parquet')
